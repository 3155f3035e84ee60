"""What a head is trained on: the teacher, sequences and labels, and the streams that fix them."""
