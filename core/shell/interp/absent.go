package interp

// instead is what a program that images often have and the tab's do not is told with.
var instead = map[string]string{
	"vi":  "there is no editor in this container. Write a file with `cat > FILE` (ctrl-d ends it), change one with `sed -i`, or bring one with `kubectl cp`",
	"apk": "nothing can be installed: the programs of this container are those of the tab",

	"ss":         "no table of this container's connections is kept. Whether somebody listens: nc -zv HOST PORT",
	"traceroute": "there are no hops between pods: a connection in the tab goes from one to the other. Whether it does: nc -zv HOST PORT",
	"tcpdump":    "there are no packets to be seen: connections in the tab are made in memory. Where one went: the page's packet path, of a Service or a pod",
	"nmap":       "ports are tried one by one: for p in 80 443 8080; do nc -z -w 1 HOST $p && echo $p; done",
	"iperf3":     "what a tab carries says nothing of a network. How long a request takes: curl -s -o /dev/null -w '%{time_total}' URL",
	"iptables":   "there are no rules of a kernel: the node's service proxy chooses where a connection is made. A Service's ends: kubectl get endpointslices",
	"socat":      "connections are made, and listened for, with nc",
	"arp":        "there is no link layer below these addresses: ip addr has the container's own",
}

func init() {
	for alias, name := range map[string]string{"vim": "vi", "nano": "vi", "apt": "apk", "apt-get": "apk", "yum": "apk",
		"netstat": "ss", "lsof": "ss", "mtr": "traceroute", "tracepath": "traceroute", "traceroute6": "traceroute", "tshark": "tcpdump", "termshark": "tcpdump",
		"iperf": "iperf3", "ip6tables": "iptables", "iptables-save": "iptables", "nft": "iptables", "ipvsadm": "iptables", "arping": "arp", "ethtool": "arp",
	} {
		instead[alias] = instead[name]
	}
}
