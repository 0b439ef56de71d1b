"""Synthesises speech with pauses and noise by eSpeak NG, and tells where in it speech is."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import espeakng_loader
import numpy as np
from scipy.signal import resample_poly

__all__ = ["RATE", "Clip", "clips"]

RATE = 16_000
"""Samples a second."""
_WORDS = (
    "water", "river", "morning", "letter", "window", "garden", "silver", "number", "market", "season", "thunder",
    "paper", "mountain", "travel", "kitchen", "summer", "station", "yellow", "winter", "picture", "machine", "answer",
    "forest", "village", "candle", "orange", "doctor", "harbour", "pocket", "weather",
)  # fmt: skip
_VOICES = ("en", "en-us", "en-gb+f3", "de", "fr", "es", "en+f2", "en+m3")
_SENTENCES = 4
_SYNCHRONOUS, _UTF8 = 2, 1  # of eSpeak NG's speak_lib.h
_RATE_PARAMETER, _PITCH_PARAMETER = 1, 3
_SEED = 1  # of eSpeak NG's own noise, which begins with the time of day otherwise


@dataclass(frozen=True)
class Clip:
    """Some sentences one after the other."""

    sound: np.ndarray
    """float32, from -1 to 1, `RATE` samples a second."""
    is_speech: np.ndarray
    """Whether each sample is speech, by the energy of what was spoken before noise was added."""


class _Synthesiser:
    """eSpeak NG, once in a process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        self._parts: list[np.ndarray] = []
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self._callback = kind(self._take)  # kept: the library calls it
        self._rate = self._library.espeak_Initialize(_SYNCHRONOUS, 0, str(espeakng_loader.get_data_path()).encode(), 0)
        self._library.espeak_SetSynthCallback(self._callback)

    def _take(self, wave: ctypes._Pointer[ctypes.c_short], count: int, _events: int) -> int:
        if count > 0 and wave:
            self._parts.append(np.ctypeslib.as_array(wave, (count,)).copy())
        return 0

    def say(self, text: str, voice: str, rate: int, pitch: int) -> np.ndarray:
        """float32, `RATE` samples a second."""
        self._parts.clear()
        self._library.espeak_ng_SetRandSeed(ctypes.c_long(_SEED))
        self._library.espeak_SetVoiceByName(voice.encode())
        self._library.espeak_SetParameter(_RATE_PARAMETER, rate, 0)
        self._library.espeak_SetParameter(_PITCH_PARAMETER, pitch, 0)
        content = text.encode() + b"\0"
        self._library.espeak_Synth(content, ctypes.c_size_t(len(content)), 0, 1, 0, _UTF8, None, None)
        self._library.espeak_Synchronize()
        wave = np.concatenate(self._parts).astype(np.float32) / 32768
        return resample_poly(wave, RATE, self._rate).astype(np.float32)


@cache
def _synthesiser() -> _Synthesiser:
    return _Synthesiser()


def clips(seed: int) -> Iterator[Clip]:
    """Clips without end; equal seeds give equal ones."""
    generator = np.random.default_rng(seed)
    while True:
        yield _clip(generator)


def _clip(generator: np.random.Generator) -> Clip:
    sounds, spoken = [], []
    for _ in range(_SENTENCES):
        pause = int(RATE * generator.uniform(0.4, 1.5))
        text = " ".join(generator.choice(_WORDS, generator.integers(4, 9)))
        voice, rate, pitch = str(generator.choice(_VOICES)), generator.integers(130, 200), generator.integers(30, 70)
        said = _synthesiser().say(text, voice, int(rate), int(pitch)) * np.float32(generator.uniform(0.3, 1))
        energy = np.convolve(np.abs(said), np.ones(RATE // 10) / (RATE // 10), "same")
        sounds += [np.zeros(pause, np.float32), said]
        spoken += [np.zeros(pause, bool), energy > 0.01 * np.abs(said).max() + 0.003]
    sound, is_speech = np.concatenate(sounds), np.concatenate(spoken)
    noise = generator.normal(size=len(sound))
    if generator.random() < 0.5:  # more of low frequencies
        noise = np.convolve(noise, np.exp(-np.arange(64) / 12), "same")
    level = sound[is_speech].std() * 10 ** (-generator.choice([5, 10, 15, 20, 30]) / 20)
    return Clip((sound + noise / noise.std() * level).astype(np.float32), is_speech)
