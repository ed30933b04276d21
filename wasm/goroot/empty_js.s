// Lets functions without a body be declared, for go:linkname.
