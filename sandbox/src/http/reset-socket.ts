import type { Socket } from "node:net";

/**
 * RST. A socket that is being closed already is only closed: Node would try to reset it, fail with EINVAL, never close it,
 * and then never end the process.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
