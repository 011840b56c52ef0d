/** Reads the events of a stream whose data are JSON; comments are left out. */
export function createParser() {
  let rest = '';
  return {
    push: (chunk: string): Record<string, unknown>[] => {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      return events.flatMap((event) => {
        const data = event.split('\n').filter((line) => line.startsWith('data:'));
        return data.length === 0 ? [] : [JSON.parse(data.map((line) => line.slice(5)).join('\n'))];
      });
    },
  };
}
