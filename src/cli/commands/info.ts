import { type Config, loadConfig } from '../../config/index.ts';
import { openApplication } from '../../host/index.ts';
import { infoReport } from '../info-report.ts';
import type { CommandContext } from '../program.ts';
import { lookAtRemoteAgents } from '../remote-agents.ts';
import { renderInfo } from '../render/info.ts';
import { serveRefusals } from '../serve-refusals.ts';
import { stoppable } from '../signals.ts';
import { resolveTarget } from '../target.ts';

/** Shows what a configuration amounts to. Calls no model, and NATS only for the remote agents of the file. */
export async function run({ flags, env, terminal }: CommandContext): Promise<number> {
  if (!flags.color) {
    terminal.out.withoutStyle();
    terminal.err.withoutStyle();
  }
  const { config, notices } = loadConfig({ path: flags.config, mode: 'lenient', env });
  const application = await stoppable((signal) => openApplication({ config, env, signal }));
  const remoteAgents = await lookAtRemoteAgents(config, () =>
    resolveTarget({ flags, typed: () => true, env, notice: () => {} }),
  );
  const refusals = serveRefusals(config, application, env);
  const report = infoReport({ config, application, refusals, remoteAgents, env });
  if (flags.json) terminal.out.json(report);
  else terminal.out.write(renderInfo(report, terminal.out.style));
  for (const notice of [...notices, ...uselessFilters(config)]) terminal.err.warning(notice);
  for (const { message } of report.notices) terminal.err.warning(message);
  return 0;
}

function uselessFilters({ applicationPath, include, exclude }: Config): string[] {
  const filters = [include, exclude].some(({ tools, tags }) => tools.length + tags.length > 0);
  if (applicationPath !== undefined || !filters) return [];
  return ['include and exclude select commands of an application, and application_path is not set'];
}
