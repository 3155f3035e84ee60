"""The algorithms that train a head, each to a certificate, and the losses they share."""
