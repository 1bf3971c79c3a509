import type { DownloadedFile } from "../api/endpoint/files.ts";
import { BoardroomError } from "./client-error.ts";
import type { ClientAnswer } from "./transport.ts";

export const fileOf = ({ headers, body }: ClientAnswer): DownloadedFile => {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(headers["content-disposition"] ?? "") ?? [];
  const length = headers["content-length"];
  return {
    contentType: headers["content-type"] ?? "application/octet-stream",
    filename: encoded === undefined ? null : decodeURIComponent(encoded),
    byteSize: length === undefined ? null : Number(length),
    body: typeof body === "string" ? new Blob([body]).stream() : body,
  };
};

export const textOf = async (body: ClientAnswer["body"]): Promise<string> =>
  typeof body === "string" ? body : new Response(body).text();

export const jsonOf = async ({ body, status, headers }: ClientAnswer): Promise<unknown> => {
  const text = await textOf(body);
  if (status === 204) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // For example a proxy's page.
    throw BoardroomError.of(status, headers, text);
  }
};
