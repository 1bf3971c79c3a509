interface Connection {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

/** Whether the person pays for what is loaded, or waits long for it: then nothing is loaded before it is needed. */
export const isMetered = (): boolean => {
  const { connection } = navigator as { connection?: Connection };
  return connection?.saveData === true || /2g$/.test(connection?.effectiveType ?? "");
};
