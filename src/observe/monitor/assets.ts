/** What the status page holds beside its content, and the policy that lets the browser use nothing else. */
import { createHash } from 'node:crypto';

export const STYLE = `
:root{color-scheme:light dark;
--bg:#f6f7f9;--panel:#fff;--text:#161a22;--soft:#596275;--line:#e2e6ec;--accent:#2f5fd0;
--good:#0e6937;--good-bg:#dcf5e6;--warn:#8a5a00;--warn-bg:#fdf0cf;--bad:#b3261e;--bad-bg:#fde4e1;--idle:#596275;--idle-bg:#e9ecf1}
@media (prefers-color-scheme:dark){:root{
--bg:#0e1116;--panel:#161b23;--text:#e8ebf1;--soft:#9aa5b8;--line:#262d39;--accent:#86a9ff;
--good:#63d794;--good-bg:#12301f;--warn:#f2c15b;--warn-bg:#33270b;--bad:#ff8f86;--bad-bg:#3b1614;--idle:#9aa5b8;--idle-bg:#222934}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.wrap{max-width:1120px;margin:0 auto;padding:28px 20px 56px}
.skip{position:absolute;left:-999px}.skip:focus{left:12px;top:12px;background:var(--panel);padding:8px 12px}
header{display:flex;flex-wrap:wrap;align-items:center;gap:6px 16px;margin-bottom:18px}
h1{font-size:28px;line-height:1.2;letter-spacing:-.02em;margin:0}
h1 small{font-size:15px;font-weight:400;color:var(--soft);letter-spacing:0;margin-left:6px}
.pill{display:inline-block;border-radius:999px;padding:2px 11px;font-size:13px;font-weight:600;white-space:nowrap}
.good{color:var(--good);background:var(--good-bg)}.warn{color:var(--warn);background:var(--warn-bg)}
.bad{color:var(--bad);background:var(--bad-bg)}.idle{color:var(--idle);background:var(--idle-bg)}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:14px;margin-bottom:18px}
#stale{display:none;margin-bottom:18px;padding:10px 14px;border-radius:10px}
body.stale #stale{display:block}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0 0 12px}
.tiles>div,section{background:var(--panel);border:1px solid var(--line);border-radius:14px}
.tiles>div{padding:14px 16px}
dt{color:var(--soft);font-size:13px}dd{margin:0}
.number{font-size:26px;font-weight:650;letter-spacing:-.02em;line-height:1.25}
.note{color:var(--soft);font-size:13px}
.pips{display:flex;flex-wrap:wrap;gap:4px;margin-top:8px}
.pips i{width:14px;height:14px;border-radius:4px;background:var(--idle-bg)}.pips i.on{background:var(--accent)}
section{padding:16px 18px 8px;margin-top:12px}
h2{font-size:16px;margin:0 0 8px}
.cols{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:0 12px}
.scroll{overflow:auto;max-height:420px;margin:0 -18px;padding:0 18px 8px}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;color:var(--soft);font-weight:500;font-size:13px;white-space:nowrap;position:sticky;top:0;background:var(--panel)}
th,td{padding:6px 14px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td.num,th.num{text-align:right}
td.name{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:13px;white-space:nowrap}
.empty{color:var(--soft);margin:4px 0 12px}
svg.strip{display:block;width:100%;height:44px;margin:2px 0 10px}
svg rect.good{fill:var(--good)}svg rect.warn{fill:var(--warn)}svg rect.bad{fill:var(--bad)}svg rect.idle{fill:var(--idle)}
footer{color:var(--soft);font-size:13px;margin-top:18px}
`;

/** Fetches the page again and puts in what has changed, so that focus, scrolling and selection stay where they are. */
export const SCRIPT = `
async function refresh(){
  try{
    const answer=await fetch(location.pathname,{cache:'no-store',signal:AbortSignal.timeout(5000)});
    if(!answer.ok)throw new Error(answer.status);
    const next=new DOMParser().parseFromString(await answer.text(),'text/html');
    for(const part of document.querySelectorAll('[data-live]')){
      const fresh=next.getElementById(part.id);
      if(fresh&&fresh.innerHTML!==part.innerHTML)part.replaceChildren(...fresh.childNodes);
    }
    document.title=next.title;
    document.body.classList.remove('stale');
  }catch{document.body.classList.add('stale')}
  setTimeout(refresh,document.hidden?10000:2000);
}
setTimeout(refresh,2000);
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
