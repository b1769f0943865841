"""Report 000: kernelized Pegasos on USPS, every kernel, number of steps and λ."""
