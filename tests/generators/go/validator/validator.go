// Package validator stands in the place of the module of this name, which only Go's own proxy has: the client is built
// and played with where that cannot be reached. It checks no pattern; what a reply is, the client's decoders tell.
package validator

// Validate accepts everything.
func Validate(interface{}) error { return nil }
