// Package image is what can be pulled in a tab. An image is a set of files and of programs
// (program.Program by path) with the usual configuration: entrypoint, command, environment,
// user, ports, stop signal. Nothing is downloaded.
//
// # Which references exist
//
// A reference is normalised as Docker and containerd do (github.com/distribution/reference):
// "nginx" is docker.io/library/nginx:latest. One that does not parse is ErrInvalid. Then, in
// this order:
//
//  1. A registry host that DNS reserves as never existing (RFC 2606, RFC 6761: .invalid, .test,
//     .example, and names below example.com, example.net and example.org), or that has a
//     label "invalid", does not resolve: ErrNoHost.
//  2. A repository whose name says that it does not exist (nonexistent, does-not-exist,
//     no-such-…, not-found; case, "-", "_" and "." do not count) is refused as Docker Hub
//     does: ErrDenied. A tag that says so, or is "404", is ErrNotFound.
//  3. A registry host with a label "private" (registry.private.internal) has Docker Hub's known images under its own
//     name, for whoever shows a name and a password, whichever they are (Registry.Pull); anybody else is refused:
//     ErrDenied.
//  4. Of a known image, only plausible tags exist: see Tags. The rule knows the image's
//     releases by major and minor number with room for some to come, so that nginx:1.27,
//     nginx:1.27.3-alpine-slim and nginx:stable exist, while nginx:does-not-exist, nginx:1.161
//     (the typing error of the Kubernetes documentation) and nginx:9.1 are ErrNotFound.
//  5. Any digest is believed: whether it exists at its registry, the tab cannot know.
//  6. Any other repository exists with all its tags, and is a stand-in: a well-behaved process that
//     says in its log that the image is not known to the tab, and idles until SIGTERM. It has the
//     shell and its tools, so that commands which use these really run. The pod's status and an
//     event say so, too (StandInScheme). A cluster may have such names not be found instead
//     (RefuseUnknown).
//
// A page can define further ones while the cluster runs (Define); package defined has what they run.
//
// Image ids and digests are SHA-256 sums over the normalised name, the tag, the configuration
// and the files: the same reference has the same id on every node and in every tab, and two
// tags of one image differ.
//
// The package may import the standard library, github.com/distribution/reference,
// core/program and its own sub-packages. It must never import Kubernetes or the runtime.
package image
