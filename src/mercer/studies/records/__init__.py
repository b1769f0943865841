"""Error rates of SVMs on images, with virtual support vectors and without."""
