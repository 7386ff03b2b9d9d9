"""The compiled real-time library: its headers, its structs as numpy types, and how it is loaded and called."""

from handloom_controllers.native.errors import NativeLibraryError, NoNativeLibraryError
from handloom_controllers.native.library import Library
from handloom_controllers.native.loading import library
from handloom_controllers.native.location import include_dir
from handloom_controllers.native.structs import new

__all__ = ["Library", "NativeLibraryError", "NoNativeLibraryError", "include_dir", "library", "new"]
