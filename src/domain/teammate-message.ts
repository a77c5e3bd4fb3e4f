/** The name that teammates use for the session that leads them. */
export const TEAM_LEAD = 'team-lead';

/** A message that a teammate sent. */
interface TeammateMessage {
  /** The name of the teammate; '' if the tag lacks it. */
  readonly sender: string;
  readonly text: string;
  /** Written by the client, for example that a teammate is idle. */
  readonly isProtocol: boolean;
}

const MESSAGES = /<teammate-message\b([^>]{0,2048})>([^]*?)(?:<\/teammate-message>|$)/g;
/** What surrounds such a message, with the line break between tag and text. */
export const TEAMMATE_TAG = /<teammate-message\b[^>]{0,2048}>\n?|\n?<\/teammate-message>/g;
const SENDER = /teammate_id="([^"]{1,128})"/;
const PROTOCOL = /^\{\s*"type"\s*:/;

/** The messages of teammates that a prompt consists of; none for any other text. */
export function teammateMessages(text: string): readonly TeammateMessage[] {
  return Array.from(text.matchAll(MESSAGES), ([, attributes = '', body = '']) => {
    const words = body.trim();
    return { sender: SENDER.exec(attributes)?.[1] ?? '', text: words, isProtocol: PROTOCOL.test(words) };
  });
}

/** What a prompt says without the tags around messages of teammates; other text is unchanged. */
export function withoutTeammateTags(text: string): string {
  const said = teammateMessages(text).filter(({ isProtocol }) => !isProtocol);
  return said.length === 0 ? text : said.map((message) => message.text).join('\n\n');
}
