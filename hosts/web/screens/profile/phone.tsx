import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";

/** A QR code of a one-time link, which signs the person in on their phone. */
export const Phone = () => {
  const methods = useRead("session.methods", {});
  const [code, setCode] = useState<Code | null>(null);
  const create = useWrite("session.createLink", {
    onDone: ({ url }) => void codeOf(url).then(setCode),
  });
  if (methods.data === undefined) return null;
  const isReachable = methods.data.passkeys?.origin.startsWith("https:") ?? false;
  return (
    <Section title="On your phone">
      {create.error === null ? null : <Problem error={create.error} />}
      {!isReachable ? (
        <p className="muted">
          Your phone needs an https address. An admin can set one up with Tailscale, Caddy, nginx or
          Cloudflare Tunnel, and put it in SERVICE_PUBLIC_URL.
        </p>
      ) : code === null ? (
        <Button busy={create.busy} onClick={() => create.run({})}>
          Show QR code
        </Button>
      ) : (
        <>
          <p>Scan this with your phone's camera. The code works once, within two minutes.</p>
          <svg
            role="img"
            aria-label="QR code that signs you in"
            width={code.size * 5}
            height={code.size * 5}
            viewBox={`0 0 ${code.size} ${code.size}`}
            shapeRendering="crispEdges"
          >
            <rect width={code.size} height={code.size} fill="#fff" />
            <path d={code.path} fill="#000" />
          </svg>
          <div className="form-actions">
            <Button onClick={() => setCode(null)}>Hide</Button>
          </div>
        </>
      )}
    </Section>
  );
};

interface Code {
  readonly size: number;
  /** A square for each dark module. */
  readonly path: string;
}

/** The library is loaded with the first code. */
const codeOf = async (text: string): Promise<Code> => {
  const { encodeQR } = await import("./qr-code.ts");
  const rows = encodeQR(text, "raw", { border: 4 });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size: rows.length, path: squares.join("") };
};
