// Command nodehost is the one native program: `nodehost serve` serves the page and is the hub
// between tabs and the programs of a laptop; `nodehost kubeconfig` asks a tab for access; `nodehost
// join` makes a Linux machine a node, with a line that `nodehost token create` prints.
//
// This package is flags, signals and exit codes. What is done is in the packages below it.
package main
