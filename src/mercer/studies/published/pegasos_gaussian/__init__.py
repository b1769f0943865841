"""Report 001: Pegasos with a Gaussian kernel on USPS, the effect of λ and T."""
