package interp

// instead is what a program that images often have and the tab's do not is told with.
var instead = map[string]string{
	"vi":  "there is no editor in this container. Write a file with `cat > FILE` (ctrl-d ends it), change one with `sed -i`, or bring one with `kubectl cp`",
	"apk": "nothing can be installed: the programs of this container are those of the tab",
}

func init() {
	for alias, name := range map[string]string{"vim": "vi", "nano": "vi", "apt": "apk", "apt-get": "apk", "yum": "apk"} {
		instead[alias] = instead[name]
	}
}
