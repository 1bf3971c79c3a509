import { isIP } from "node:net";

/** Whether the name in an address is always this machine. */
export const isLoopbackHost = (hostname: string): boolean => {
  const name = hostname.toLowerCase();
  return name === "localhost" || name === "[::1]" || (isIP(name) === 4 && name.startsWith("127."));
};
