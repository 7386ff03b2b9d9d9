"""The wire between a runner and a policy server: messages as frames of bytes, no sockets, no pickle."""

from handloom.net.contract import contract_hash
from handloom.net.header import VERSION, ArraySpec, Header
from handloom.net.limits import DTYPES, Limits
from handloom.net.message import decode, encode

__all__ = ["DTYPES", "VERSION", "ArraySpec", "Header", "Limits", "contract_hash", "decode", "encode"]
