"""The softmax channel with two tokens: the proximal problem lives in two dimensions."""
