import { expect, test } from "vitest";
import { forPeople } from "./reasons.ts";
import { imageSentence } from "./sentence.ts";

const NOW = 1_000_000_000;

test.each([
  [undefined, /^Whether its memory is kept is known once/],
  [{}, /^There is no image.*starts it anew\. One is taken when/],
  [{ kept: { at: NOW - 150_000, bytes: 214e6 } }, /^Its memory was kept 2m30s ago: 214 MB\.$/],
  [
    { kept: { at: NOW - 150_000, bytes: 214e6 }, failed: { at: NOW - 5000, why: "it is full" } },
    /^Its memory was kept 2m30s ago: 214 MB\. None could be kept 5s ago: it is full\.$/,
  ],
  [{ failed: { at: NOW + 5000, why: "w" } }, /anew\. None could be kept 0s ago: w\.$/],
  [{ failed: { at: NOW, why: "w", lasts: true } }, /anew\. None can be kept: w\.$/],
])("%j", (image, said) => {
  expect(imageSentence(image && { type: "image", ...image }, NOW)).toMatch(said);
});

test.each([
  ["the program holds a WebSocket, a MessageEvent", "a connection with a hub"],
  ["the program holds a Worker", "a container whose image a page has defined"],
  ["the program holds a Response, a ReadableStream", "a request to the web"],
  ["the program holds 9 bytes", "no image can have: 9 bytes"],
  ["QuotaExceededError: the quota has been exceeded", "delete clusters that you do not need"],
  ["not all of it was written", "storage for this page is full"],
  ["it was dropped", "a hub was dialled"],
  ["open disk-1: no such file.", /no such file$/],
  ["this machine has too little memory", "this machine has too little memory"],
])("why there is none, for people: %s", (why, words) => {
  if (typeof words === "string") expect(forPeople(why)).toContain(words);
  else expect(forPeople(why)).toMatch(words);
});
