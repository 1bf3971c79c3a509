import type { ReactNode } from "react";

/** A sentence of an adapter or the service in which names stand between backticks. */
export const withCode = (text: string): ReactNode =>
  text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={`${at} ${part}`}>{part}</code>));
