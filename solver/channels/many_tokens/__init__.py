"""The softmax channel with any number of tokens, in reduced whitened coordinates."""
