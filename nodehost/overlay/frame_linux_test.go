package overlay

import (
	"encoding/binary"
	"net"
	"net/netip"
)

// vxlanFrame is what the other end of our VXLAN would send: a UDP datagram from one pod to another.
func vxlanFrame(from, to net.HardwareAddr, src, dst netip.Addr, port uint16, payload string) []byte {
	b := []byte{8, 0, 0, 0, 0, 0, vni, 0}
	b = append(append(append(b, to...), from...), 8, 0)
	ip := make([]byte, 20, 28+len(payload))
	ip[0], ip[8], ip[9] = 0x45, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(28+len(payload)))
	copy(ip[12:], src.AsSlice())
	copy(ip[16:], dst.AsSlice())
	var sum uint32
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum))
	udp := make([]byte, 8)
	binary.BigEndian.PutUint16(udp, 40000)
	binary.BigEndian.PutUint16(udp[2:], port)
	binary.BigEndian.PutUint16(udp[4:], uint16(8+len(payload))) // no checksum, as IPv4 allows
	return append(append(append(b, ip...), udp...), payload...)
}
