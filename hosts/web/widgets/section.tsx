import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One subject of a page of several. */
export const Section = ({ title, action, children }: SectionProps) => {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <header className="section-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        {action}
      </header>
      {children}
    </section>
  );
};
