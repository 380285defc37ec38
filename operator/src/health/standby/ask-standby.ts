/** Sends a question to the standby replica, with a connection of its own. */

import { get } from "node:http";
import { QUESTION_PARAMETER, QUESTION_PATH } from "./answer-leader.js";

/** Resolves with the token of the answer. Rejects if there is none, and with the signal's reason when it aborts. */
export type Ask = (address: string, question: string, signal: AbortSignal) => Promise<string>;

const OK = 200;
/** Enough for a target with the longest path. */
export const STANDBY_ANSWER_BYTES = 16_384;

export const askWithSocket: Ask = async (address, question, signal) => {
  const url = new URL(`http://${address}${QUESTION_PATH}`);
  url.searchParams.set(QUESTION_PARAMETER, question);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await responseTo(url, signal)) {
    length += (chunk as Buffer).length;
    if (length > STANDBY_ANSWER_BYTES) throw new Error(`the answer has more than ${STANDBY_ANSWER_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
};

function responseTo(url: URL, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { connection: "close" }, signal }, (response) => {
      if (response.statusCode === OK) resolve(response);
      else {
        response.resume();
        reject(new Error(`status ${response.statusCode}`));
      }
    });
    request.on("error", reject);
  });
}
