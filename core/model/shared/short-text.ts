import { visibleText } from "./visible-text.ts";

/** Enough characters for each one that is shown, so that a text of megabytes costs nothing. */
const readPerCharacter = 8;

/** An agent's text as shown elsewhere than on the page: invisible characters are spelled out, the rest is cut. */
export const shortText = (text: string, maxLength: number): string => {
  const characters = [...visibleText(text.slice(0, maxLength * readPerCharacter)).trim()];
  return characters.length <= maxLength
    ? characters.join("")
    : `${characters.slice(0, maxLength - 1).join("")}…`;
};

/** As `shortText`, without line breaks. */
export const shortLine = (text: string, maxLength: number): string =>
  shortText(text.slice(0, maxLength * readPerCharacter).replace(/\s+/g, " "), maxLength);
