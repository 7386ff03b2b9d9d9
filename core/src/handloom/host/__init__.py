"""Find the installed plugins by their entry points, import only the one that is asked for, and check its contract.

Importing this package imports no plugin, no pluggy and no numpy, so that `handloom --help` may list what there is.
"""

from handloom.host.discovery import Found, Unreadable, discover, unreadable
from handloom.host.host import Host, Loaded

__all__ = ["Found", "Host", "Loaded", "Unreadable", "discover", "unreadable"]
