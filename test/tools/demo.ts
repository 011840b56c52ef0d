/** A small application whose commands have one of each kind of flag and argument, with full schemas. */

const flag = (name: string, more: object = {}) => ({ name, help: name, boolean: false, cumulative: false, ...more });
const arg = (name: string, more: object = {}) => ({ name, help: name, cumulative: false, ...more });

/** A leaf whose two schemas are the same. */
export function command(name: string, properties: object, required: string[], more: object = {}) {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required.length > 0 ? { required } : {}),
  };
  return { name, help: `Does ${name}`, schema, restricted_schema: schema, ...more };
}

const text = { type: 'string', description: '' };
const texts = { type: 'array', items: { type: 'string' }, description: '' };

export const demo = {
  name: 'demo',
  help: 'A demo application',
  version: '1.2.3',
  commands: [
    command(
      'add',
      {
        name: text,
        kind: text,
        extra: texts,
        force: { type: 'boolean', description: '' },
        yes: { type: 'boolean', description: '' },
        color: { type: 'boolean', description: '' },
        count: { type: 'integer', description: '' },
        ratio: { type: 'number', description: '' },
        ttl: text,
        tag: texts,
        label: { type: 'object', additionalProperties: { type: 'string' }, description: '' },
        verbosity: { type: 'array', items: { type: 'integer' }, description: '' },
      },
      ['name'],
      {
        flags: [
          flag('force', { boolean: true, negatable: true, short: 102 }),
          flag('yes', { boolean: true }),
          flag('color', { boolean: true, default: ['true'] }),
          flag('count', { default: ['1'] }),
          flag('ratio'),
          flag('ttl'),
          flag('label', { cumulative: true }),
          flag('tag', { cumulative: true }),
          flag('verbosity', { boolean: true, cumulative: true }),
          flag('internal', { hidden: true }),
        ],
        args: [
          arg('name', { required: true }),
          arg('kind', { default: ['plain'] }),
          arg('extra', { cumulative: true }),
        ],
      },
    ),
    command('collide', { context: text }, [], { args: [arg('context')] }),
    command('nul', { v: texts }, [], { args: [arg('v', { cumulative: true })] }),
    { name: 'stream', help: 'Streams', commands: [command('ls', {}, [])] },
    command('copy', { source: texts, destination: text }, ['source', 'destination'], {
      flags: [flag('source', { cumulative: true })],
      args: [arg('source', { required: true, help: 'From where' }), arg('destination', { required: true })],
    }),
    command('find', { source: texts }, [], { flags: [flag('source', { cumulative: true })], args: [arg('source')] }),
  ],
  flags: [
    flag('context', { envar: 'DEMO_CONTEXT' }),
    flag('level', { completions: ['info', 'warn'] }),
    flag('trace', { boolean: true, negatable: true }),
  ],
};
