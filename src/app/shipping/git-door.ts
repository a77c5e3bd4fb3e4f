/** The name under which a server that takes no git activity has a pause of its own. */
export function gitDoor(server: string): string {
  return `${server} git`;
}
