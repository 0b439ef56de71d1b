"""Machines that a host drives by commands: devices, and streams of commands to replay."""

from covenant.commands.device import CommandDevice
from covenant.commands.encode import FieldValue
from covenant.commands.formats import NumberFormat
from covenant.commands.record import CommandRecord
from covenant.commands.replay import Replay, ReplayError, ReplayInterrupt, replay
from covenant.commands.stream import CommandStream, HostCommand

__all__ = [
    "CommandDevice",
    "CommandRecord",
    "CommandStream",
    "FieldValue",
    "HostCommand",
    "NumberFormat",
    "Replay",
    "ReplayError",
    "ReplayInterrupt",
    "replay",
]
