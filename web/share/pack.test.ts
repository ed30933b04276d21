import { describe, expect, test } from "vitest";
import { deflateRawSync } from "node:zlib";
import { MOST_PACKED, MOST_TEXT, pack, ShareError, unpack } from "./pack.ts";

const coded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

describe("what stands in a link", () => {
  test("is what was packed", async () => {
    for (const text of ["", "kind: Pod\n", "é ☃ 😀\uFEFF".repeat(900)]) {
      expect(await unpack(await pack(text))).toBe(text);
    }
  });

  test("is inflated no further than is taken", async () => {
    const bomb = coded(deflateRawSync(Buffer.alloc(40_000_000, " "), { level: 9 }));
    expect(bomb.length).toBeLessThan(MOST_PACKED);
    await expect(unpack(bomb)).rejects.toThrow("more than is taken");
    await expect(unpack("A".repeat(MOST_PACKED + 1))).rejects.toThrow("Nothing of it was read");
    const most = "a".repeat(MOST_TEXT);
    expect(await unpack(await pack(most))).toBe(most);
    await expect(pack(`${most}a`)).rejects.toThrow(`${MOST_TEXT} bytes are the most`);
  });

  test("that is longer than a link is not made", async () => {
    let state = 1;
    const noise = Array.from({ length: 200_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return String.fromCharCode(33 + (state % 90));
    });
    await expect(pack(noise.join(""))).rejects.toThrow("The link would have");
  });

  test("is refused wherever it was cut or changed", async () => {
    const whole = await pack("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n");
    for (let at = 0; at < whole.length; at++) {
      await expect(unpack(whole.slice(0, at))).rejects.toBeInstanceOf(ShareError);
    }
    for (const bad of [
      `${whole}!`,
      "<script>",
      "é",
      coded(deflateRawSync(Uint8Array.of(0xff, 0xfe, 0xc0))),
    ]) {
      await expect(unpack(bad), bad).rejects.toThrow("damaged");
    }
  });
});
