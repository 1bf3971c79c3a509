import { escapedHtml } from "../shared/escaped-html.ts";
import { emailConfirmationSec } from "./email-address.ts";

interface ConfirmationLink {
  readonly id: string;
  readonly url: string;
  /** The domain of the sender, which makes message ids unique. */
  readonly domain: string;
}

const subject = "Confirm your email address";
const minutes = emailConfirmationSec / 60;
const about = `Open this link within ${minutes} minutes to get notices from Boardroom at this address.`;
const otherwise = "If you didn't ask for it, ignore this email: nothing else will be sent here.";

/** The email with the link that confirms an address. It has no text that a person chose: its reader may be anybody. */
export const confirmationEmail = ({ id, url, domain }: ConfirmationLink) => ({
  subject,
  text: `${about}\n\n${url}\n\n${otherwise}\n`,
  html: [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family:sans-serif;line-height:1.5">',
    `<p>${about}</p>`,
    `<p><a href="${escapedHtml(url)}">Confirm this address</a></p>`,
    `<p style="color:#666;font-size:0.85em">${otherwise}</p>`,
    "</body></html>",
  ].join("\n"),
  messageId: `<confirmation.${id}@${domain}>`,
  headers: { "Auto-Submitted": "auto-generated" },
});
