/** A real browser without a screen, driven over its own debugging protocol. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { programsNamed } from '../../scripts/lib/programs.ts';
import { spawnOwned } from './run.ts';
import { tempDir } from './tmp.ts';
import { waitFor } from './wait.ts';

type Json = Record<string, unknown>;

/** The browser of this machine, if it has one. */
export function findChromium(): string | undefined {
  return ['chromium-headless-shell', 'chromium'].flatMap((name) => programsNamed(name))[0];
}

/** One page in a browser of its own. */
export class BrowserPage {
  /** Complaints of the page: what its policy blocked, errors of its script, and what it wrote to the console. */
  readonly complaints: string[] = [];
  readonly #child: ChildProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Json) => void>();
  #last = 0;

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.#child = child;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data)) as Json));
  }

  /** Starts the browser with an empty page. */
  static async open(): Promise<BrowserPage> {
    const program = findChromium();
    if (program === undefined) throw new Error('no chromium here');
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--hide-scrollbars',
      '--remote-debugging-port=0',
      `--user-data-dir=${tempDir()}`,
      'about:blank',
    ];
    const child = spawnOwned(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const port = await waitFor(() => /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1], {
      timeout: 20_000,
      what: () => `the browser to listen:\n${said}`,
    });
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Json[];
    const target = targets.find(({ type }) => type === 'page');
    const socket = new WebSocket(String(target?.['webSocketDebuggerUrl']));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    const page = new BrowserPage(child, socket);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    return page;
  }

  /** One command of the protocol. */
  async send(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#last;
    const answer = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const message = await answer;
    if (message['error'] !== undefined) throw new Error(`${method}: ${JSON.stringify(message['error'])}`);
    return message['result'] as Json;
  }

  async goto(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
    await waitFor(async () => (await this.evaluate('document.readyState')) === 'complete', {
      what: 'the page to load',
    });
  }

  /** The value of an expression in the page; promises are awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return (result as Json)['value'];
  }

  async press(key: string, windowsVirtualKeyCode: number): Promise<void> {
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode });
    }
  }

  /** Asks the page for its dark or light form. */
  async preferColors(scheme: 'dark' | 'light'): Promise<void> {
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  async resize(width: number, height: number): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** Writes what is to be seen as PNG. */
  async screenshot(path: string): Promise<void> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
    writeFileSync(path, Buffer.from(String(data), 'base64'));
  }

  /** Ends the browser, with the processes it has started, which would otherwise keep its output open. */
  async close(): Promise<void> {
    this.#socket.send(JSON.stringify({ id: 0, method: 'Browser.close' }));
    await waitFor(() => this.#child.exitCode !== null || this.#child.signalCode !== null, { timeout: 10_000 }).catch(
      () => this.#child.kill('SIGKILL'),
    );
    this.#socket.close();
    this.#child.stderr?.destroy();
  }

  #hear(message: Json): void {
    const id = message['id'];
    if (typeof id === 'number') {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
      return;
    }
    const { method, params } = message as { method: string; params: Json };
    if (['Runtime.exceptionThrown', 'Log.entryAdded', 'Runtime.consoleAPICalled'].includes(method)) {
      this.complaints.push(JSON.stringify(params));
    }
  }
}
