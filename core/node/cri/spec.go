package cri

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// spec is what a container's first process is started with: its image's configuration under
// what the kubelet wants otherwise.
type spec struct {
	args []string
	env  []string
	dir  string
	host string
	user *runtimeapi.LinuxContainerUser
	// noNewPrivileges is allowPrivilegeEscalation: false.
	noNewPrivileges bool
	// capabilities are the bounding set.
	capabilities uint64
}

// credentials are those of a container's first process, and of what is executed in it.
func (sp *spec) credentials() program.Credentials {
	groups := make([]int, len(sp.user.SupplementalGroups))
	for i, gid := range sp.user.SupplementalGroups {
		groups[i] = int(gid)
	}
	c := program.User(int(sp.user.Uid), int(sp.user.Gid), groups...)
	c.NoNewPrivileges = sp.noNewPrivileges
	c.Bounding = sp.capabilities
	return c
}

func (r *Runtime) newSpec(s *sandbox, config *runtimeapi.ContainerConfig, img *pulledImage) (*spec, error) {
	args := processArgs(config, img)
	if len(args) == 0 {
		return nil, status.Error(codes.Unknown, "failed to generate container spec: no command specified")
	}
	user, err := processUser(config.GetLinux().GetSecurityContext(), img)
	if err != nil {
		return nil, status.Errorf(codes.Unknown, "failed to generate container spec: %v", err)
	}
	sp := &spec{
		args: args, dir: config.GetWorkingDir(), host: s.hostname(r.opts.NodeName), user: user,
		noNewPrivileges: config.GetLinux().GetSecurityContext().GetNoNewPrivs(),
		capabilities:    capabilities(config.GetLinux().GetSecurityContext()),
	}
	if sp.dir == "" {
		sp.dir = img.WorkingDir
	}
	if !strings.HasPrefix(sp.dir, "/") {
		sp.dir = "/" + sp.dir
	}
	sp.env = processEnv(config, img, sp)
	return sp, nil
}

// processArgs joins entrypoint and command as the CRI says: a command of the kubelet's
// replaces the image's entrypoint and command, arguments replace only its command.
func processArgs(config *runtimeapi.ContainerConfig, img *pulledImage) []string {
	command, args := config.GetCommand(), config.GetArgs()
	if len(command) == 0 {
		if len(args) == 0 {
			args = img.Cmd
		}
		command = img.Entrypoint
	}
	return slices.Concat(command, args)
}

// processEnv is the image's environment under the container's, with what every container has.
func processEnv(config *runtimeapi.ContainerConfig, img *pulledImage, sp *spec) []string {
	var env []string
	set := func(key, value string) {
		for i, kv := range env {
			if k, _, _ := strings.Cut(kv, "="); k == key {
				env[i] = key + "=" + value
				return
			}
		}
		env = append(env, key+"="+value)
	}
	set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	if sp.host != "" {
		set("HOSTNAME", sp.host)
	}
	if config.GetTty() {
		set("TERM", "xterm")
	}
	home := "/"
	if sp.user.Uid == 0 {
		home = "/root"
	} else if e, ok := findEntry(img, "/etc/passwd", strconv.FormatInt(sp.user.Uid, 10), 2); ok && len(e) > 5 {
		home = e[5]
	}
	set("HOME", home)
	for _, kv := range img.Env {
		k, v, _ := strings.Cut(kv, "=")
		set(k, v)
	}
	if !img.known {
		set(image.EnvImage, img.Ref.String())
	}
	for _, kv := range config.GetEnvs() {
		set(kv.GetKey(), string(kv.GetValue()))
	}
	return env
}

// processUser resolves who the container runs as.
func processUser(sc *runtimeapi.LinuxContainerSecurityContext, img *pulledImage) (*runtimeapi.LinuxContainerUser, error) {
	name, group, _ := strings.Cut(img.User, ":")
	switch {
	case sc.GetRunAsUser() != nil:
		name, group = strconv.FormatInt(sc.RunAsUser.Value, 10), ""
	case sc.GetRunAsUsername() != "":
		name, group = sc.RunAsUsername, ""
	case sc.GetRunAsGroup() != nil:
		return nil, errors.New("user group is specified without user")
	}
	u := &runtimeapi.LinuxContainerUser{}
	var login string
	if name != "" {
		e, found := findEntry(img, "/etc/passwd", name, 0)
		uid, err := strconv.ParseInt(name, 10, 64)
		if err == nil {
			if e, found = findEntry(img, "/etc/passwd", name, 2); !found {
				u.Uid = uid
			}
		} else if !found {
			return nil, fmt.Errorf("unable to find user %s: no matching entries in passwd file", name)
		}
		if found && len(e) > 3 {
			login = e[0]
			u.Uid, _ = strconv.ParseInt(e[2], 10, 64)
			u.Gid, _ = strconv.ParseInt(e[3], 10, 64)
		}
	} else {
		login = "root"
	}
	if group != "" {
		if gid, err := strconv.ParseInt(group, 10, 64); err == nil {
			u.Gid = gid
		} else if e, ok := findEntry(img, "/etc/group", group, 0); ok && len(e) > 2 {
			u.Gid, _ = strconv.ParseInt(e[2], 10, 64)
		} else {
			return nil, fmt.Errorf("unable to find group %s: no matching entries in group file", group)
		}
	}
	if sc.GetRunAsGroup() != nil {
		u.Gid = sc.RunAsGroup.Value
	}
	u.SupplementalGroups = supplementalGroups(sc, img, login, u.Gid)
	return u, nil
}

// supplementalGroups are the security context's, with those of the image's /etc/group unless
// the policy is Strict.
func supplementalGroups(sc *runtimeapi.LinuxContainerSecurityContext, img *pulledImage, login string, gid int64) []int64 {
	groups := []int64{gid}
	if sc.GetSupplementalGroupsPolicy() == runtimeapi.SupplementalGroupsPolicy_Merge && login != "" {
		for line := range strings.Lines(string(img.Files["/etc/group"].Data)) {
			fields := strings.Split(strings.TrimSpace(line), ":")
			if len(fields) == 4 && slices.Contains(strings.Split(fields[3], ","), login) {
				if id, err := strconv.ParseInt(fields[2], 10, 64); err == nil {
					groups = append(groups, id)
				}
			}
		}
	}
	groups = append(groups, sc.GetSupplementalGroups()...)
	slices.Sort(groups)
	return slices.Compact(groups)
}

// findEntry finds the line of a passwd(5) or group(5) file of the image whose field says value.
func findEntry(img *pulledImage, file, value string, field int) ([]string, bool) {
	for line := range strings.Lines(string(img.Files[file].Data)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) > field && fields[field] == value {
			return fields, true
		}
	}
	return nil, false
}
