package apiserver

// Without fsnotify upstream looks at its files once a minute; a restart takes seconds.
const filesAreWatched = false
