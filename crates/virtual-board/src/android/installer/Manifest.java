package wattline.board.installer;

import com.android.apksig.internal.apk.AndroidBinXmlParser;
import com.android.apksig.internal.apk.AndroidBinXmlParser.XmlParserException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** What a package's manifest says, by Android's own numbers of attributes. */
final class Manifest {
    private static final String BAD = "INSTALL_PARSE_FAILED_BAD_MANIFEST";
    private static final String NOT_APK = "INSTALL_PARSE_FAILED_NOT_APK";
    private static final int NAME = 0x01010003;
    private static final int ENABLED = 0x0101000e;
    private static final int DEBUGGABLE = 0x0101000f;
    private static final int EXPORTED = 0x01010010;
    private static final int TARGET_PACKAGE = 0x01010021;
    private static final int VALUE = 0x01010024;
    private static final int TARGET_ACTIVITY = 0x01010202;
    private static final int MIN_SDK = 0x0101020c;
    private static final int VERSION_CODE = 0x0101021b;
    private static final int TARGET_SDK = 0x01010270;
    private static final int TEST_ONLY = 0x01010272;
    private static final int SHELL = 0x01010594;

    private final AndroidBinXmlParser xml;
    private final StringBuilder facts = new StringBuilder();
    private final Deque<String> path = new ArrayDeque<>();
    private String owner = "";
    /** The component or instrumentation that is open; its facts are written at its end. */
    private String component;
    private String target;
    private Boolean exported;
    private boolean filtered;

    private Manifest(ByteBuffer bytes) throws XmlParserException {
        xml = new AndroidBinXmlParser(bytes);
    }

    /** Facts of a package, a line each. */
    static String read(File apk) throws Refused, IOException {
        try (ZipFile zip = new ZipFile(apk)) {
            ZipEntry entry = zip.getEntry("AndroidManifest.xml");
            if (entry == null) {
                throw new Refused(NOT_APK, "no AndroidManifest.xml in it");
            }
            Manifest manifest = new Manifest(ByteBuffer.wrap(zip.getInputStream(entry).readAllBytes()));
            manifest.walk();
            zip.stream().map(ZipEntry::getName).filter(name -> name.matches("lib/.*\\.so"))
                    .forEach(name -> manifest.fact("native", name));
            return manifest.facts.toString();
        } catch (ZipException e) {
            throw new Refused(NOT_APK, String.valueOf(e.getMessage()));
        } catch (XmlParserException | RuntimeException e) {
            throw new Refused(BAD, String.valueOf(e.getMessage()));
        }
    }

    private void walk() throws XmlParserException {
        for (int event = xml.next(); event != AndroidBinXmlParser.EVENT_END_DOCUMENT; event = xml.next()) {
            if (event == AndroidBinXmlParser.EVENT_START_ELEMENT) {
                path.addLast(xml.getName());
                begin(String.join("/", path));
            } else if (event == AndroidBinXmlParser.EVENT_END_ELEMENT) {
                end(String.join("/", path));
                path.removeLast();
            }
        }
    }

    private void begin(String where) throws XmlParserException {
        switch (where) {
            case "manifest":
                owner = plain("package");
                fact("package", owner);
                fact("version_code", text(VERSION_CODE, "0"));
                break;
            case "manifest/uses-sdk":
                fact("min_sdk", text(MIN_SDK, "1"));
                fact("target_sdk", text(TARGET_SDK, text(MIN_SDK, "1")));
                break;
            case "manifest/application":
                fact("application", className(text(NAME, "android.app.Application")));
                fact("debuggable", flag(DEBUGGABLE));
                fact("test_only", flag(TEST_ONLY));
                break;
            case "manifest/application/profileable":
                fact("profileable", at(ENABLED) >= 0 && flag(ENABLED).equals("false") ? "false" : flag(SHELL));
                break;
            case "manifest/application/activity":
            case "manifest/application/activity-alias":
                component = className(text(NAME, ""));
                target = at(TARGET_ACTIVITY) < 0 ? "" : className(text(TARGET_ACTIVITY, ""));
                exported = at(EXPORTED) < 0 ? null : Boolean.valueOf(flag(EXPORTED));
                filtered = false;
                break;
            case "manifest/application/activity/intent-filter":
            case "manifest/application/activity-alias/intent-filter":
                filtered = true;
                break;
            case "manifest/application/service":
                fact("service", className(text(NAME, "")));
                break;
            case "manifest/instrumentation":
                component = className(text(NAME, ""));
                fact("instrumentation", component, text(TARGET_PACKAGE, owner));
                break;
            case "manifest/instrumentation/meta-data":
                fact("meta", component, text(NAME, ""), text(VALUE, ""));
                break;
            default:
        }
    }

    private void end(String where) {
        if (where.equals("manifest/application/activity") || where.equals("manifest/application/activity-alias")) {
            String said = exported == null ? "unsaid" : exported.toString();
            fact("activity", component, said, String.valueOf(filtered), target);
        }
    }

    private String className(String name) {
        return name.startsWith(".") ? owner + name : name.indexOf('.') < 0 ? owner + "." + name : name;
    }

    private void fact(String... fields) {
        for (String field : fields) {
            if (field.indexOf('\t') >= 0 || field.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a tab or a line end in " + fields[0]);
            }
        }
        facts.append(String.join("\t", fields)).append('\n');
    }

    /** The place of an attribute, or -1. */
    private int at(int id) throws XmlParserException {
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            if (xml.getAttributeNameResourceId(i) == id) {
                return i;
            }
        }
        return -1;
    }

    private String text(int id, String otherwise) throws XmlParserException {
        int at = at(id);
        return at < 0 ? otherwise : value(at);
    }

    private String value(int at) throws XmlParserException {
        int type = xml.getAttributeValueType(at);
        boolean isNumber = type == AndroidBinXmlParser.VALUE_TYPE_INT;
        return isNumber ? String.valueOf(xml.getAttributeIntValue(at)) : xml.getAttributeStringValue(at);
    }

    /** "true" or "false"; what a resource says is not looked up and counts as false. */
    private String flag(int id) throws XmlParserException {
        int at = at(id);
        boolean isFlag = at >= 0 && xml.getAttributeValueType(at) == AndroidBinXmlParser.VALUE_TYPE_BOOLEAN;
        return String.valueOf(isFlag && xml.getAttributeBooleanValue(at));
    }

    private String plain(String name) throws XmlParserException {
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            if (xml.getAttributeName(i).equals(name)) {
                return value(i);
            }
        }
        return "";
    }
}
