/* Archives for tests: as any program writes them, and as only an attacker does. */
import { crc32, deflateRawSync } from "node:zlib";

export interface Entry {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** Said in place of what is true. */
  readonly claims?: { size?: number; packed?: number; crc?: number; localName?: string };
  /** Bits of the general purpose flag. */
  readonly flag?: number;
  /** Of Unix. */
  readonly mode?: number;
  /** Leads to the data of the first entry. */
  readonly overlaps?: boolean;
}

export function archive(entries: readonly Entry[]): File {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, data = "", claims = {}, flag = 0, mode = 0o100644, overlaps } of entries) {
    const raw = Buffer.from(data);
    const packed = deflateRawSync(raw);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(claims.crc ?? crc32(raw), 0);
    sizes.writeUInt32LE(claims.packed ?? packed.length, 4);
    sizes.writeUInt32LE(claims.size ?? raw.length, 8);
    const head = (called: string) => {
      const middle = Buffer.alloc(10); // version, flag, method, time and date
      middle.writeUInt16LE(20, 0);
      middle.writeUInt16LE(flag | 0x800, 2);
      middle.writeUInt16LE(8, 4);
      const length = Buffer.alloc(4);
      length.writeUInt16LE(Buffer.byteLength(called), 0);
      return { middle, length, called: Buffer.from(called) };
    };
    const local = head(claims.localName ?? name);
    const begins = overlaps ? 0 : at;
    if (!overlaps) {
      const signature = Buffer.from("PK\x03\x04", "latin1");
      const all = Buffer.concat([
        signature,
        local.middle,
        sizes,
        local.length,
        local.called,
        packed,
      ]);
      parts.push(all);
      at += all.length;
    }
    const central = head(name);
    const rest = Buffer.alloc(14); // comment, disk, attributes, offset
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(begins, 10);
    list.push(
      Buffer.concat([
        Buffer.from("PK\x01\x02\x14\x03", "latin1"), // made on Unix
        central.middle,
        sizes,
        central.length,
        rest,
        central.called,
      ]),
    );
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return new File([Buffer.concat([...parts, directory, end])], "a.zip");
}
