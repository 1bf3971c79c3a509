import { randomBytes } from "node:crypto";
import type { OpenPipe } from "../runner-helper/input-channel.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { type Cluster, isPassing } from "./cluster.ts";

/** The API server takes frames of up to 32 MiB; a proxy in between may take less. */
const maxPieceBytes = 32 * 1024;
const stdinChannel = 0;

/** Attaches to the standard input of a pod, over a WebSocket. What comes back says nothing that the log does not. */
export const podInput =
  ({ api, podPath }: Pick<Cluster, "api" | "podPath">, name: string): OpenPipe =>
  async (signal) => {
    const socket = await api.upgrade(
      "GET",
      `${podPath(name)}/attach?container=agent&stdin=true`,
      {
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
        "sec-websocket-protocol": "v4.channel.k8s.io",
      },
      signal,
    );
    if ("status" in socket) {
      const { status, message } = socket;
      const right = status === 403 ? ". Its user needs the verbs get and create on pods/attach." : "";
      throw new RefusedByEngine(
        `The cluster does not connect to the input of its pod: ${message}${right}`,
        status !== 403 && isPassing(status),
      );
    }
    socket.resume();
    return {
      write: (text) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += maxPieceBytes)
          socket.write(frameOf(bytes.subarray(at, at + maxPieceBytes)));
      },
      onClose: (listener) => void socket.on("close", listener),
      destroy: () => void socket.destroy(),
    };
  };

/** A binary frame of a client (RFC 6455), of fewer than 65,536 bytes: its first byte names the stream. */
const frameOf = (piece: Buffer): Buffer => {
  const mask = randomBytes(4);
  const length = piece.length + 1;
  const header = Buffer.from([0x82, 0x80 | (length < 126 ? length : 126)]);
  const long = length < 126 ? Buffer.alloc(0) : Buffer.from([length >> 8, length & 0xff]);
  const body = Buffer.concat([Buffer.from([stdinChannel]), piece]);
  for (let i = 0; i < body.length; i += 1) body[i] = (body[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return Buffer.concat([header, long, mask, body]);
};
