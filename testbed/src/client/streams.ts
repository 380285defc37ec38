import type { Readable } from "node:stream";

/** Reads a stream of UTF-8 text to its end. */
export async function readText(stream: Readable): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  for await (const chunk of stream) text += chunk as string;
  return text;
}
