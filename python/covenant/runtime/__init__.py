"""Runs programs: sessions on a backend, results, devices, executables, values of whole sets of images."""
