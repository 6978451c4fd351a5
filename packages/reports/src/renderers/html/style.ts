import { FONT } from '../../charts/chart.js'
import { cssVariables } from '../../theme/theme.js'

/** Style of a report: one column of text next to the table of contents, both themes, narrow screens, and A4 paper. */
export const STYLE = `
:root{${cssVariables('light')};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${cssVariables('dark')}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 ${FONT};font-variant-numeric:tabular-nums}
.page{max-width:86rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
.masthead,main,.contents{min-width:0}
h1,h2{font-family:Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif;line-height:1.2;text-wrap:balance;font-weight:600}
.long{overflow-wrap:anywhere}
h1{font-size:clamp(1.7rem,4.5vw,2.5rem);margin:.1rem 0 1.5rem}h1:has(+.byline){margin-bottom:.4rem}.byline{color:var(--muted);margin:0 0 1.5rem}
h2{font-size:1.5rem;margin:0 0 1rem}
h3{font-size:1rem;margin:2rem 0 .6rem}
p{margin:0 0 1rem;max-width:70ch}
ul{padding-left:1.2rem;max-width:70ch}li{margin:.3rem 0}
a{color:var(--blue);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--blue);outline-offset:3px;border-radius:2px}
small{color:var(--muted);font-size:.8125rem}
code,pre{font:.875rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}pre{overflow-wrap:anywhere}
.skip{position:absolute;left:-999rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem}
.kicker{color:var(--muted);text-transform:uppercase;letter-spacing:.08em;font-size:.8125rem;font-weight:600;margin:0}
.summary{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:1px;margin:0 0 1.5rem;border:1px solid var(--rule);border-radius:8px;overflow:hidden}
.summary>div{outline:1px solid var(--rule);padding:.8rem 1rem}.of-1{grid-column:span 12}.of-2{grid-column:span 6}.of-3{grid-column:span 4}.of-4{grid-column:span 3}
.summary dt{color:var(--muted);font-size:.8125rem}
.summary dd{margin:.1rem 0 0;font-size:1.05rem;font-weight:600;line-height:1.35}
.summary small{display:block;font-weight:400}
section{padding-top:2.75rem;margin-top:2.75rem;border-top:1px solid var(--rule)}
main>section:first-child{margin-top:0;border-top:0;padding-top:0}
.contents{margin:1.5rem 0 3rem;padding:1rem 1.25rem;background:var(--panel);border-radius:8px}
.contents h2{font:600 .8125rem/1.5 ${FONT};letter-spacing:.06em;text-transform:uppercase;color:var(--muted);margin:0 0 .4rem}
.contents ol{margin:0;padding:0;list-style:none;columns:14rem auto;font-size:.9375rem}
.contents li{margin:0;padding:.12rem 0;break-inside:avoid}
.contents a{color:inherit;text-decoration:none}.contents a:hover{color:var(--blue);text-decoration:underline}
.notice{border-left:4px solid var(--muted);background:var(--panel);padding:.7rem 1rem;margin:0 0 .75rem;border-radius:0 6px 6px 0}
.notice strong{margin-right:.25rem}
.notice.warning{border-color:var(--warning);background:var(--warning-panel)}.notice.warning strong{color:var(--warning)}
.notice.danger{border-color:var(--danger);background:var(--danger-panel)}.notice.danger strong{color:var(--danger)}
.statements{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.9rem;margin:0 0 1rem}
.statement{border:1.5px solid var(--rule);border-radius:8px;padding:.8rem 1rem}.statement:last-child:nth-child(odd){grid-column:1/-1}
.statement p{margin:0;font-size:.9375rem}.statement p+p{margin-top:.3rem}
.blank{border-style:dashed;border-color:var(--muted)}.blank p+p{color:var(--muted)}
.image-cases{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:1.2rem;margin:0 0 1.2rem}
.image-cases figcaption{margin:.4rem 0 0}.image-cases small{display:block;font-weight:400}
.views{display:flex;flex-wrap:wrap;gap:.3rem}.views img{display:block;width:calc(50% - .15rem);height:auto;border-radius:4px}.views img:only-child{width:100%}
.tag{font-size:.75rem;border:1px solid var(--muted);border-radius:99px;padding:.05rem .55rem;color:var(--muted);margin-left:.4rem;white-space:nowrap}
.table{margin:1.4rem 0 1.8rem}
.scroll{overflow-x:auto;position:relative;container-type:inline-size}
table{border-collapse:collapse;width:100%;font-size:.9063rem;line-height:1.45}
caption{position:sticky;left:0;max-width:100cqw;text-align:left;font-weight:600;padding:0 0 .55rem;font-size:.9375rem}
th,td{padding:.42rem .85rem .42rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--muted);font-weight:600;font-size:.9em;border-bottom:1.5px solid var(--ink);vertical-align:bottom}
tbody th{font-weight:500;min-width:7rem}
td:last-child:not(.number):not(:nth-child(2)){min-width:9.5rem}
.number{text-align:right;white-space:nowrap}
td small,tbody th small{display:block;font-size:.84em;font-weight:400}thead th.number{white-space:normal}
.remark{color:var(--muted);font-size:.8125rem;margin:.5rem 0 0;max-width:100ch}
.beside{display:inline-block}.bar{display:inline-block;vertical-align:middle;width:6rem;max-width:20vw;height:.7rem;background:var(--panel);border-radius:3px;margin-right:.6rem;overflow:hidden}
.bar i{display:block;height:100%;background:var(--blue);border-radius:3px;min-width:1px}
.forest{display:block;width:160px;height:20px}
.facts{margin-bottom:1.4rem}section>.facts:first-of-type h3{margin-top:1rem}.facts dl{margin:0;font-size:.9375rem}
.facts dl>div{display:grid;grid-template-columns:minmax(9rem,15rem) 1fr;gap:1rem;padding:.42rem 0;border-bottom:1px solid var(--rule)}
.facts dt{color:var(--muted)}.facts dd{margin:0}
figure{margin:0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:2rem 2.5rem;margin:1.5rem 0;align-items:start}
figcaption{font-weight:600;font-size:.9375rem;margin-bottom:.6rem}
.chart{overflow-x:auto}.chart svg{display:block;max-width:100%;height:auto}.chart svg.wide{min-width:30rem}
.chart text{font-variant-numeric:tabular-nums}
details{margin-top:.5rem;font-size:.875rem}
summary{cursor:pointer;color:var(--muted);font-size:.8125rem}
details .scroll{max-height:22rem;overflow:auto}
.code{margin:1.4rem 0}
pre{background:var(--panel);padding:.9rem 1rem;border-radius:8px;overflow-x:auto;margin:0;white-space:pre-wrap}
.flow{margin:1.4rem 0 2rem}
.flow ol,.flow ul{list-style:none;margin:0;padding:0;max-width:none}
.flow li{margin:0}
.box{display:block;border:1.5px solid var(--muted);border-radius:8px;padding:.55rem .9rem;background:var(--paper);line-height:1.4}
.box b{font-weight:600;display:block}.box span{color:var(--muted);font-size:.9063rem}
.steps{width:min(100%,22rem)}
.steps li+li{padding-top:2.4rem;position:relative}
.steps li+li::before{content:"";position:absolute;left:1.6rem;top:0;height:2.4rem;border-left:1.5px solid var(--muted)}
.steps li+li::after{content:"";position:absolute;left:calc(1.6rem - 4.3px);top:2.4rem;translate:0 -9px;border:5px solid transparent;border-top:8px solid var(--muted);border-bottom:0}
.left-out{position:absolute;left:2.6rem;top:.5rem;font-size:.8438rem;color:var(--muted)}
.lanes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr));gap:1rem}.lanes .steps{width:100%}
.steps+.lanes{border-top:1.5px solid var(--muted);padding-top:1.1rem;margin-top:1.4rem;position:relative}
.steps+.lanes::before{content:"";position:absolute;left:1.6rem;top:-1.4rem;height:1.4rem;border-left:1.5px solid var(--muted)}
.brief section{padding-top:1.4rem;margin-top:1.4rem}.brief .figures{grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:1.5rem}
.brief .facts dl{columns:18rem auto;column-gap:2rem}.brief .facts dl>div{break-inside:avoid}
footer{margin-top:4rem;padding-top:1.2rem;border-top:1px solid var(--rule);color:var(--muted);font-size:.8438rem}
@media (min-width:86rem){
.page{display:grid;grid-template-columns:13.5rem minmax(0,1fr);column-gap:3.5rem}
.masthead,footer,.brief main{grid-column:1/-1}
.contents{position:sticky;top:1.5rem;align-self:start;max-height:calc(100vh - 3rem);overflow:auto;background:none;padding:0;margin-top:1rem}
.contents ol{columns:auto}
main{margin-top:1rem}}
@media (max-width:60rem){.image-cases{grid-template-columns:repeat(4,minmax(0,1fr))}}
@media (max-width:40rem){.page{padding-top:1.5rem}.image-cases{grid-template-columns:1fr 1fr}.statements{grid-template-columns:1fr}.summary{grid-template-columns:1fr 1fr}.summary>div{grid-column:auto}.summary>div:last-child:nth-child(odd){grid-column:1/-1}.facts dl>div{grid-template-columns:1fr;gap:0}table{font-size:.8438rem}.forest{width:120px}}
@media print{
@page{size:A4;margin:18mm 16mm}
:root{${cssVariables('light')};color-scheme:light}
html{font-size:9.5pt}body{font-size:1rem;line-height:1.45}p,ul,.remark{max-width:none}.page{display:block;padding:0;max-width:none}
.skip,details{display:none}.contents{position:static;max-height:none}
.contents,.box,.bar,.bar i,.notice,.statement,.summary,.views img,pre{print-color-adjust:exact;-webkit-print-color-adjust:exact}
section{margin-top:1.4rem;padding-top:1.4rem}h1{font-size:20pt}h2{font-size:14pt}
h2,h3,caption,figcaption{break-after:avoid}tr,figure,.notice,.blank,.facts dl>div{break-inside:avoid}
thead{display:table-header-group}.scroll{overflow:visible}
.figures{grid-template-columns:1fr 1fr;gap:1rem 1.4rem}.image-cases{grid-template-columns:repeat(4,minmax(0,1fr))}table{font-size:8.3pt}a{color:inherit}}
`
  .trim()
  .replaceAll('\n', '')
