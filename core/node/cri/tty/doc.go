// Package tty is a terminal's line discipline (termios(3), the parts that users notice): echo,
// erase, ^C, ^D, carriage returns. It stands between the keystrokes of a client and a program
// that believes in a terminal.
//
// It may import the standard library and core/program. It must never import Kubernetes.
package tty
