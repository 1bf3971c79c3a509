/**
 * PostgreSQL writes `2026-11-21 05:06:13.1+00`, and `2026-11-21T05:06:13.1+00:00` in JSON. A value that Date cannot
 * represent (`infinity`) stays unchanged.
 */
export const instantOf = (text: string): string => {
  const zone = text.endsWith("+00") ? 3 : text.endsWith("+00:00") ? 6 : 0;
  const length = text.length - zone;
  if (zone === 0 || length < 19 || length > 23) {
    const millis = Date.parse(text);
    return Number.isNaN(millis) ? text : new Date(millis).toISOString();
  }
  const fraction = length === 19 ? "000" : text.slice(20, length).padEnd(3, "0");
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
};
