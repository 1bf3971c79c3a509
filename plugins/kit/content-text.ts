import { asObject, asObjects, asText, type Json } from "./json.ts";

/** Returns the text of a tool's answer or of a message: a text, a part, or a list of parts. Names what is no text. */
export const contentText = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(contentText).filter(Boolean).join("\n");
  const part = asObject(content);
  return part === null ? "" : partText(part);
};

const partText = (part: Json): string => {
  const type = asText(part.type);
  if (typeof part.text === "string") return part.text;
  if (/image/i.test(type)) return mediaText("Picture", part);
  if (/audio/i.test(type)) return mediaText("Sound", part);
  switch (type) {
    case "document":
      return mediaText("Document", part);
    case "file":
      return mediaText(/^image\//.test(asText(part.mime)) ? "Picture" : "File", part);
    case "resource": {
      const resource = asObject(part.resource) ?? {};
      return asText(resource.text) || mediaText("Resource", resource);
    }
    case "resource_link":
    case "web_search_result":
    case "search_result":
      return [part.title ?? part.name, part.uri ?? part.url ?? part.source]
        .map(asText)
        .filter(Boolean)
        .join(" ");
    case "tool_reference":
      return asText(part.tool_name);
  }
  const inner = [part.stdout, part.stderr, part.content, part.error_message ?? part.error_code]
    .map(contentText)
    .filter(Boolean);
  if (inner.length > 0) return inner.join("\n");
  const references = asObjects(part.tool_references);
  return references.length > 0 ? contentText(references) : type === "" ? "" : `[${type}]`;
};

/** The note that stands for data: its kind, type, address and size. */
const mediaText = (kind: string, part: Json): string => {
  const source = asObject(part.source) ?? part;
  const address = asText(source.url ?? source.uri ?? source.image_url ?? source.imageUrl);
  const inline = /^data:([^;,]*)(?:;[^,]*)?,/.exec(address);
  const data =
    asText(source.data) || asText(source.blob) || (inline === null ? "" : address.slice(inline[0].length));
  const type =
    asText(source.media_type) || asText(source.mimeType) || asText(source.mime) || (inline?.[1] ?? "");
  const name = asText(part.title) || asText(part.filename) || (inline === null ? address : "");
  const about = [type, name, data === "" ? "" : `${Math.ceil((data.length * 3) / 4096)} KiB`].filter(Boolean);
  return about.length === 0 ? `[${kind}]` : `[${kind}: ${about.join(", ")}]`;
};
