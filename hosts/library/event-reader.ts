/** One server-sent event. */
export interface ReceivedEvent<Data> {
  /** Pass it as `lastEventId` to continue after it. */
  readonly id: string;
  readonly event: string;
  readonly data: Data;
}

/** Waits for something from the service. */
export type Wait = <T>(arriving: Promise<T>) => Promise<T>;

/** Reads server-sent events whose data is JSON. Leaving the loop closes the stream. */
export async function* readEvents<Data>(
  body: string | ReadableStream<Uint8Array>,
  wait: Wait,
): AsyncGenerator<ReceivedEvent<Data>, void, undefined> {
  let id = "";
  let event = "message";
  let data: string[] = [];
  for await (const line of lines(body, wait)) {
    if (line === "") {
      // A blank line without data, as after a comment, is not an event.
      if (data.length > 0) yield { id, event, data: JSON.parse(data.join("\n")) as Data };
      event = "message";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
}

/** Yields complete lines; an incomplete last line is dropped with its event. */
async function* lines(
  body: string | ReadableStream<Uint8Array>,
  wait: Wait,
): AsyncGenerator<string, void, undefined> {
  if (typeof body === "string") {
    yield* body.split("\n").slice(0, -1);
    return;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await wait(reader.read());
      if (done) return;
      pending += decoder.decode(value, { stream: true });
      const complete = pending.split("\n");
      pending = complete.pop() ?? "";
      for (const line of complete) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
