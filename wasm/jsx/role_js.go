package jsx

// rolesName is the WeakMap in which the worker's script is told what a value is there for, so that one of the same
// role can take its place in another page (web/image/values.ts). Where there is none nobody wants to know.
const rolesName = "tabernetesRoles"

// SetRole says what v is there for, as long as it is.
func SetRole(v Value, role map[string]any) {
	roles, err := Global(rolesName)
	if err != nil {
		return
	}
	if r, _, err := ToJS(role); err == nil {
		_, _ = roles.Call("set", v, r)
	}
}

// EndRole says that v is there for nothing any more.
func EndRole(v Value) {
	if roles, err := Global(rolesName); err == nil {
		_, _ = roles.Call("delete", v)
	}
}

// Awaiting is how many promises are waited for, and their outcomes would be lost with this page.
func Awaiting() int {
	retained.Lock()
	defer retained.Unlock()
	return retained.count[resolvedName]
}
