/** The forms of an answer that a client of the protocol reads. */
export interface AcceptedForms {
  readonly json: boolean;
  readonly events: boolean;
}

const jsonType = "application/json";
const eventsType = "text/event-stream";

/** Reads an Accept header. One that names neither form counts as none: an answer in JSON beats a refusal. */
export const acceptedForms = (accept: string | undefined): AcceptedForms => {
  const ranges = (accept ?? "").split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, isRefused: quality !== undefined && Number(quality) === 0 };
  });
  const accepts = (type: string) => {
    const general = `${type.slice(0, type.indexOf("/"))}/*`;
    for (const wanted of [type, general, "*/*"]) {
      const range = ranges.find((one) => one.type === wanted);
      if (range !== undefined) return !range.isRefused;
    }
    return false;
  };
  const events = accepts(eventsType);
  return { json: accepts(jsonType) || !events, events };
};

interface Answer {
  readonly contentType: string;
  readonly text: string;
}

/** Writes a whole answer in a form that its client accepts; one that accepts anything gets JSON. */
export const inAcceptedForm = (answer: Answer, accept: string | undefined): Answer => {
  const { contentType, text } = answer;
  const { json, events } = acceptedForms(accept);
  if (!json && contentType.startsWith(jsonType))
    return { contentType: eventsType, text: `event: message\ndata: ${text}\n\n` };
  const namesBoth = json && events && /text\/event-stream/i.test(accept ?? "");
  if (!json || namesBoth || !contentType.startsWith(eventsType)) return answer;
  const message = lastMessage(text);
  return message === null ? answer : { contentType: jsonType, text: message };
};

/** The answer is the last message of a stream. */
const lastMessage = (stream: string): string | null =>
  [...stream.matchAll(/^data: ?(\{.*)$/gm)].at(-1)?.[1] ?? null;
