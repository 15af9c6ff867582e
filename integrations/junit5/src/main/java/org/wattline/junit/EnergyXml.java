package org.wattline.junit;

import java.io.StringWriter;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** `TEST-energy.xml`: JUnit XML for CI servers. A test over its budget is a failure. */
final class EnergyXml {
    private final XMLStreamWriter xml;
    private final Results results;

    private EnergyXml(XMLStreamWriter xml, Results results) {
        this.xml = xml;
        this.results = results;
    }

    static String text(Results results) throws XMLStreamException {
        StringWriter text = new StringWriter();
        XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        new EnergyXml(xml, results).write();
        xml.close();
        return text.append("\n").toString();
    }

    private void write() throws XMLStreamException {
        xml.writeStartDocument("UTF-8", "1.0");
        xml.writeCharacters("\n");
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", "energy");
        xml.writeAttribute("tests", String.valueOf(results.tests.size()));
        xml.writeAttribute("failures", String.valueOf(results.tests.stream().filter(EnergyXml::isOver).count()));
        xml.writeAttribute("errors", "0");
        xml.writeAttribute("skipped", String.valueOf(results.tests.stream().filter(EnergyXml::isSkipped).count()));
        xml.writeAttribute("time", seconds(results.tests.stream().mapToDouble(MeasuredTest::seconds).sum()));
        xml.writeCharacters("\n");
        for (MeasuredTest test : results.tests) {
            write(test);
        }
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private static boolean isOver(MeasuredTest test) {
        return test.verdict().kind == Verdict.Kind.OVER;
    }

    private static boolean isSkipped(MeasuredTest test) {
        return test.estimate() == null;
    }

    private void write(MeasuredTest test) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", VisibleText.of(test.className));
        xml.writeAttribute("name", VisibleText.of(test.testName));
        xml.writeAttribute("time", seconds(test.seconds()));
        if (isSkipped(test)) {
            xml.writeEmptyElement("skipped");
            xml.writeAttribute("message", VisibleText.of(test.problem()));
        } else if (isOver(test)) {
            xml.writeStartElement("failure");
            xml.writeAttribute("type", EnergyBudgetError.class.getName());
            xml.writeAttribute("message", message(test));
            xml.writeCharacters(message(test));
            xml.writeEndElement();
        }
        xml.writeStartElement("system-out");
        xml.writeCharacters(VisibleText.of(results.describe(test)));
        xml.writeEndElement();
        xml.writeEndElement();
        xml.writeCharacters("\n");
    }

    private String message(MeasuredTest test) {
        return VisibleText.of(test.verdict().reason + ", " + results.basisAndMeter());
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
