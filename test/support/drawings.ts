/** Logos as drawing programs write them, by the program. */
export const drawings: Readonly<Record<string, string>> = {
  "Inkscape 1": `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape (http://www.inkscape.org/) -->

<svg
   width="210mm"
   height="297mm"
   viewBox="0 0 210 297"
   version="1.1"
   id="svg5"
   inkscape:version="1.2.2 (b0a8486541, 2022-12-01)"
   sodipodi:docname="logo.svg"
   inkscape:export-filename="C:\\Users\\me\\logo.png"
   inkscape:export-xdpi="96"
   inkscape:export-ydpi="96"
   xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
   xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
   xmlns:xlink="http://www.w3.org/1999/xlink"
   xmlns="http://www.w3.org/2000/svg"
   xmlns:svg="http://www.w3.org/2000/svg"
   xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
   xmlns:cc="http://creativecommons.org/ns#"
   xmlns:dc="http://purl.org/dc/elements/1.1/">
  <title
     id="title1">Acme</title>
  <sodipodi:namedview
     id="namedview7"
     pagecolor="#ffffff"
     bordercolor="#000000"
     borderopacity="0.25"
     inkscape:showpageshadow="2"
     inkscape:pageopacity="0.0"
     inkscape:document-units="mm"
     showgrid="true"
     inkscape:current-layer="layer1">
    <inkscape:grid
       type="xygrid"
       id="grid9" />
  </sodipodi:namedview>
  <defs
     id="defs2">
    <linearGradient
       inkscape:collect="always"
       id="linearGradient1">
      <stop
         style="stop-color:#ff0000;stop-opacity:1;"
         offset="0"
         id="stop1" />
    </linearGradient>
    <inkscape:path-effect
       effect="spiro"
       id="path-effect1"
       is_visible="true"
       lpeversion="1" />
    <inkscape:perspective
       sodipodi:type="inkscape:persp3d"
       inkscape:vp_x="0 : 148.5 : 1"
       id="perspective1" />
    <linearGradient
       inkscape:collect="always"
       xlink:href="#linearGradient1"
       id="linearGradient2"
       gradientUnits="userSpaceOnUse" />
  </defs>
  <g
     inkscape:label="Layer 1"
     inkscape:groupmode="layer"
     id="layer1">
    <path
       style="fill:url(#linearGradient2);stroke:none;-inkscape-stroke:none"
       d="M 10,10 20,20 z"
       inkscape:path-effect="#path-effect1"
       inkscape:original-d="M 10,10 20,20 z"
       sodipodi:nodetypes="ccc"
       inkscape:connector-curvature="0" />
    <text
       xml:space="preserve"
       style="font-size:10px;font-family:sans-serif;-inkscape-font-specification:'sans-serif, Normal'"
       x="1"
       y="2"><tspan
         sodipodi:role="line"
         x="1"
         y="2">Acme</tspan></text>
    <path
       d="M 1,1 2,2"
       aria-label="url(C:\\x)" />
  </g>
  <metadata
     id="metadata1">
    <rdf:RDF>
      <cc:Work
         rdf:about="">
        <dc:format>image/svg+xml</dc:format>
        <dc:type
           rdf:resource="http://purl.org/dc/dcmitype/StillImage" />
        <cc:license
           rdf:resource="http://creativecommons.org/licenses/by/4.0/" />
      </cc:Work>
    </rdf:RDF>
  </metadata>
</svg>
`,
  "Inkscape 0.48": `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg
   xmlns:svg="http://www.w3.org/2000/svg"
   xmlns="http://www.w3.org/2000/svg"
   xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
   xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
   width="100"
   height="100"
   inkscape:version="0.48.4 r9939"
   sodipodi:docname="logo.svg">
  <sodipodi:namedview id="base" pagecolor="#ffffff" inkscape:window-maximized="1" />
  <flowRoot
     xml:space="preserve"
     id="flowRoot1"
     style="font-size:40px;font-family:Bitstream Vera Sans"><flowRegion id="flowRegion1"><rect width="10" height="10" /></flowRegion><flowPara id="flowPara1">Acme</flowPara></flowRoot>
</svg>
`,
  "Illustrator 24": `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: Adobe Illustrator 24.0.1, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px"
	 viewBox="0 0 512 512" style="enable-background:new 0 0 512 512;" xml:space="preserve">
<style type="text/css">
	.st0{clip-path:url(#SVGID_2_);fill:url(#SVGID_3_);}
	.st1{font-family:'MyriadPro-Regular';}
</style>
<g data-name="Layer 1">
	<defs>
		<rect id="SVGID_1_" width="512" height="512"/>
	</defs>
	<clipPath id="SVGID_2_">
		<use xlink:href="#SVGID_1_"  style="overflow:visible;"/>
	</clipPath>
	<path class="st0" d="M0,0h10v10z"/>
	<text transform="matrix(1 0 0 1 0 0)" class="st1">Acme</text>
</g>
</svg>
`,
  "Illustrator 19": `<?xml version="1.0" encoding="iso-8859-1"?>
<!-- Generator: Adobe Illustrator 19.0.0, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg version="1.1" id="Capa_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px"
	 viewBox="0 0 60 60" style="enable-background:new 0 0 60 60;" xml:space="preserve">
<switch>
	<g>
		<path style="fill:#373435;" d="M0,0h60v60z"/>
	</g>
</switch>
</svg>
`,
  "Illustrator with its notes": `<?xml version="1.0" encoding="utf-8"?>
<svg version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:x="http://ns.adobe.com/Extensibility/1.0/" xmlns:i="http://ns.adobe.com/AdobeIllustrator/10.0/" xmlns:graph="http://ns.adobe.com/Graphs/1.0/" viewBox="0 0 10 10" i:viewOrigin="0 10" i:rulerOrigin="0 0">
<metadata>
	<sfw xmlns="http://ns.adobe.com/SaveForWeb/1.0/">
		<slices></slices>
		<sliceSourceBounds height="10" width="10" x="0" y="0" bottomLeftOrigin="true"></sliceSourceBounds>
	</sfw>
	<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
	<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 5.6">
		<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
			<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"><xmp:CreatorTool>Adobe Illustrator</xmp:CreatorTool></rdf:Description>
		</rdf:RDF>
	</x:xmpmeta>
	<?xpacket end="w"?>
</metadata>
<g i:extraneous="self" i:layer="yes" i:dimmedPercent="50" i:rgbTrio="#4F008000F0000"><path i:knockout="Off" d="M0,0h10z"/></g>
<i:aipgf id="adobe_illustrator_pgf" i:pgfEncoding="zstd/base64" i:pgfVersion="24">KLUv/QBYNFUC</i:aipgf>
</svg>
`,
  "Figma with a picture": `<svg width="64" height="64" viewBox="0 0 64 64" fill="none" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<rect width="64" height="64" fill="url(#pattern0_1_2)"/>
<defs>
<pattern id="pattern0_1_2" patternContentUnits="objectBoundingBox" width="1" height="1"><use xlink:href="#image0_1_2" transform="scale(1)"/></pattern>
<image id="image0_1_2" width="1" height="1" preserveAspectRatio="none" xlink:href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="/>
</defs>
</svg>
`,
  "Illustrator with a picture in lines": `<svg version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<image style="overflow:visible;" width="1" height="1" xlink:href="data:image/jpeg;base64,/9j/4AAQSkZJRgABAgEASABIAAD/7AARRHVja3kAAQAEAAAAHgAA
/+4AIUFkb2JlAGTAAAAAAQMAEAMCAwYAAAGZ" transform="matrix(1 0 0 1 0 0)"></image>
</svg>
`,
  "a program that embeds fonts": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>
@font-face{font-family:'X';font-weight:400;src:local('X'),url(data:font/woff2;base64,d09GMgABAAAAAA==) format('woff2'),url("data:application/font-woff;charset=utf-8;base64,d09GRgABAAAAAA==") format("woff")}
@font-face{font-family:Y;src:url('data:application/x-font-ttf;base64,AAEAAAALAIAAAwAw')}
</style><text y="9" font-family="X">A</text></svg>
`,
};
