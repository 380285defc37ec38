import { silentLogger } from "flipop-operator/logging";
import { playStory } from "flipop-sandbox/story";
import { excerpt } from "./excerpt.js";

/** Plays the sandbox's own story, in about 20 s, and returns what the picture shows of its output. */
export async function playedExcerpt(): Promise<string> {
  const lines: string[] = [];
  const code = await playStory(
    { port: 0, once: true, keep: false, speed: 600 },
    {
      stop: new AbortController().signal,
      attended: false,
      out: { isTTY: true, columns: 100 },
      env: {},
      print: (text) => lines.push(text),
      complain: (text) => lines.push(text),
      logger: silentLogger,
    },
  );
  if (code !== 0) throw new Error(`the story ended with code ${code}:\n${lines.join("\n")}`);
  return excerpt(lines.join("\n"));
}
