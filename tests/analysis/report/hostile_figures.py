"""What an svg file may hold that would run or load something; each try says `evil`."""

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:h="http://www.w3.org/1999/xhtml" viewBox="0 0 72 36"'
)
FAR = "http://evil.invalid/a"

TRIES: dict[str, str] = {
    "script": "<script>evil=1</script>",
    "SCRIPT": "<SCRIPT>evil=1</SCRIPT>",
    "script of HTML": "<h:script>evil=1</h:script>",
    "script of no namespace": '<script xmlns="">evil=1</script>',
    "script in an entity": "<g>&lt;script&gt;evil=1&lt;/script&gt;</g>",
    "script in a title": "<title>&lt;/title&gt;&lt;script&gt;evil=1&lt;/script&gt;</title>",
    "script from elsewhere": f'<script href="{FAR}"/>',
    "handler": '<g onload="evil=1" onclick="evil=1"/>',
    "handler in capitals": '<g ONLOAD="evil=1"/>',
    "handler on a picture": '<image href="x" onerror="evil=1"/>',
    "frame": f'<iframe xmlns="http://www.w3.org/1999/xhtml" src="{FAR}"/>',
    "frame of svg": f'<iframe src="{FAR}" srcdoc="&lt;script&gt;parent.evil=1&lt;/script&gt;"/>',
    "object": f'<h:object data="{FAR}"/><h:embed src="{FAR}"/>',
    "HTML inside": f'<foreignObject><h:img src="{FAR}" onerror="evil=1"/></foreignObject>',
    "breaking out": f'<p/><img src="{FAR}" onerror="evil=1"/>',
    "picture": f'<image href="{FAR}"/><image xlink:href="{FAR}"/>',
    "picture that is near": '<image href="evil.png"/>',
    "svg as a picture": '<image href="data:image/svg+xml,&lt;svg onload=evil=1&gt;"/>',
    "filter": f'<filter id="f"><feImage href="{FAR}"/></filter><g filter="url(#f)"/>',
    "use": f'<use href="{FAR}#a"/><use xlink:href="evil.svg#a"/>',
    "link": '<a xlink:href="javascript:evil=1"><rect width="9" height="9"/></a>',
    "animated link": '<a><animate attributeName="href" values="javascript:evil=1"/></a>',
    "set": '<set attributeName="onmouseover" to="evil=1"/>',
    "import": f'<style>@import "{FAR}";</style>',
    "import after a rule": f'<style>*{{fill: red}} @import "{FAR}";</style>',
    "font": f"<style>@font-face{{font-family: a; src: url({FAR})}}</style>",
    "rule": f"<style>*{{background: url({FAR}); fill: red}}</style>",
    "rule of the page": "<style>body, .evil, a[href^=evil]{fill: red}</style>",
    "image-set": f'<g style="background: image-set(&quot;{FAR}&quot; 1x)"/>',
    "escaped": r'<g style="fill: u\72l(http://evil.invalid)"/>',
    "fill": f'<rect width="9" height="9" fill="url({FAR}#a)"/>',
    "style": f'<rect width="9" height="9" style="fill: url({FAR}#a)"/>',
    "near style": '<rect width="9" height="9" style="mask: url(evil.svg#a)"/>',
    "tail of a style": f'<g style="fill: url(#a); cursor: url({FAR}), auto; --evil: 1"/>',
    "cursor": f'<g cursor="url({FAR})"/>',
    "id": '<g id="a&quot; onload=&quot;evil=1"/>',
    "text": "<g>evil</g><text>evil</text>evil",
    "comment": "<!-- --><!-- evil --><?evil a?>",
    "base": f'<base href="{FAR}"/><h:base href="{FAR}"/>',
    "refresh": f'<h:meta http-equiv="refresh" content="0;url={FAR}"/>',
}
FIGURES = {name: f"{HEAD}>{content}</svg>".encode() for name, content in TRIES.items()}
FIGURES["handler of the figure"] = f'{HEAD} onload="evil=1" style="background: {FAR}"/>'.encode()
