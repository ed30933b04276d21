package intab

import (
	"errors"
	"fmt"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const tunDevice = "/dev/net/tun"

// openTUN makes the interface, which is there as long as the file is open. One packet a read, one a
// write, without a header before it.
func openTUN(mtu int) (*os.File, error) {
	fd, err := unix.Open(tunDevice, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w; `modprobe tun` loads it, and a container needs it given (--device %s)", tunDevice, err, tunDevice)
	}
	if err := setUp(fd, mtu); err != nil {
		return nil, errors.Join(fmt.Errorf("make the interface %s: %w", Interface, err), unix.Close(fd))
	}
	// Not before: what has no interface yet cannot be polled.
	return os.NewFile(uintptr(fd), tunDevice), nil
}

func setUp(fd, mtu int) error {
	request, err := unix.NewIfreq(Interface)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return err
	}
	link, err := netlink.LinkByName(Interface)
	if err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(link, mtu); err != nil {
		return fmt.Errorf("set its MTU to %d: %w", mtu, err)
	}
	return netlink.LinkSetUp(link)
}
