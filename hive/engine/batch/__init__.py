"""Many games at once: jobs in chunks, lanes on devices, results and sweeps."""
